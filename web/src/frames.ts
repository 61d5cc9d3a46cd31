import type { ComponentType } from 'preact';

type Loader = () => Promise<ComponentType>;

/**
 * Pages that run in the browser, by path: forms of accounts, for example. The server sends the same empty frame for each
 * (src/site/frame-paths.ts has the same paths), and `entry-client` renders the component into it.
 */
export const FRAMES: Record<string, Loader> = {};
