// Package evidence holds what a judgement was made from, in OpenChrome's forms: the [Facts] of
// evidence.snapshot, the performance and console facts in them ([ContractFacts]), and the values
// that each assertion was judged on ([Node]). It judges no contract.
package evidence
