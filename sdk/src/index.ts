export { OpenCanvas, type ClientOptions, type UploadOptions } from './client.js';
export { ApiError, unwrap, type Problem, type ProblemCode } from './problem.js';
export type { Page, Row } from './pages.js';
export type { Progress } from './progress.js';
export type { NotificationEvent, StreamOptions } from './stream.js';
export type { Account, TokenStorage } from './session.js';
export type { components, operations, paths } from './schema.js';
