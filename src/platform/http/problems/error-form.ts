import type { Problem } from './problem.js';

/** Writes the errors of a route in another form than that of a problem. */
export type ErrorForm = (problem: Problem) => { status: number; headers: Record<string, string>; body: object };

/** In the configuration of a route. */
export type FormedRoute = { errorForm?: ErrorForm };
