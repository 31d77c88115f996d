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
	switch {
	case index == "" && shards == "":
		return "", nil
	case shards == "":
		return "", fmt.Errorf("%s is %s, but %s is not set: set it to the number of completions, or give -shard", indexEnv, index, shardsEnv)
	case index == "":
		return "", fmt.Errorf("%s is %s, but %s is not set, which Kubernetes sets in an Indexed Job; or give -shard", shardsEnv, shards, indexEnv)
	}
	i, err := strconv.Atoi(index)
	if err != nil {
		return "", fmt.Errorf("%s is %q, want a number from 0", indexEnv, index)
	}
	shard := fmt.Sprintf("%d/%s", i+1, shards)
	if _, err := record.ParseShard(shard); err != nil {
		return "", fmt.Errorf("%s is %s and %s is %s: want an index below the number of shards, and at most %d shards", indexEnv, index, shardsEnv, shards, record.MaxShards)
	}
	return shard, nil
}
