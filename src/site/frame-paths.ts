/** Paths of the pages that run in the browser; `web/src/frames.ts` has their components. */
export const FRAME_PATHS: readonly string[] = [];
