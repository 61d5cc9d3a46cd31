import type { Problem } from './problem.js';

/** Converts the errors of a route to a format other than problem details. */
export type ErrorForm = (problem: Problem) => { status: number; headers: Record<string, string>; body: object };

/** The route configuration that sets an error format. */
export type FormedRoute = { errorForm?: ErrorForm };
