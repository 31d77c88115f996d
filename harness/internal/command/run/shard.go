package run

import (
	"fmt"
	"os"
	"strconv"

	"github.com/openchrome/bench/harness/internal/record"
)

// The environment says which shard to run if -shard does not. Kubernetes sets indexEnv in
// the pods of an Indexed Job, from 0; the manifest sets shardsEnv to the number of
// completions.
const (
	indexEnv  = "JOB_COMPLETION_INDEX"
	shardsEnv = "OPENCHROME_BENCH_SHARDS"
)

// shardHere returns the shard that the environment names; empty if it names none.
func shardHere() (string, error) {
	index, shards := os.Getenv(indexEnv), os.Getenv(shardsEnv)
	if index == "" && shards == "" {
		return "", nil
	}
	i, err := strconv.Atoi(index)
	shard := fmt.Sprintf("%d/%s", i+1, shards)
	if _, unknown := record.ParseShard(shard); err != nil || unknown != nil {
		return "", fmt.Errorf("%s is %q and %s is %q: want an index below the number of shards, and at most %d shards; "+
			"set both, or give -shard", indexEnv, index, shardsEnv, shards, record.MaxShards)
	}
	return shard, nil
}
