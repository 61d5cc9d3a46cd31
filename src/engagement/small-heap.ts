import { setFlagsFromString } from 'node:v8';

/** how far the heap may grow beyond what is alive before V8 collects it */
const GROWTH_PERCENT = 40;
const V8_DECIDES = 0;

/**
 * What a run keeps alive is the same for any number of posts, but on a machine with memory V8 lets three times as much pile up before
 * it looks (docs/performance/score-job.md): the resident memory of a run would say how long it took. For the time of `work` it looks
 * earlier. A limit (`--max-old-space-size`) would end the process where this costs it some CPU.
 */
export async function withSmallHeap<T>(work: () => Promise<T>): Promise<T> {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  try {
    return await work();
  } finally {
    setFlagsFromString(`--heap-growing-percent=${V8_DECIDES}`);
  }
}
