import { fuzzRollouts } from '../fuzz/rollout-fuzz.ts';

/** A process that damages its share of rollouts, and prints what became of them. */
const [, , seed, count] = process.argv;
console.log(JSON.stringify(await fuzzRollouts({ seed: Number(seed), count: Number(count), turnEvery: 200 })));
