import type { components } from './schema.js';

type Described = components['schemas']['Problem'];
type DescribedCode = Described['code'];

/** All codes of docs/errors.md, and `unexpected_response` for an error that the server did not write, like a proxy's 502. */
export type ProblemCode = DescribedCode | 'unexpected_response';

/** Fields that only one code has. */
interface OwnFields {
  second_factor_required: Required<Pick<Described, 'mfaToken'>>;
}

type WithCode<C extends ProblemCode> = C extends ProblemCode
  ? Omit<Described, 'code' | 'mfaToken'> & { code: C } & (C extends keyof OwnFields ? OwnFields[C] : unknown)
  : never;

/** A problem of RFC 9457. The union has one member for each code, so a comparison of `code` narrows the type. */
export type Problem<C extends DescribedCode = DescribedCode> = WithCode<C | 'unexpected_response'>;

/** Error of iterators and `unwrap`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly problem: Problem,
    readonly response: Response,
  ) {
    super(`${problem.code}: ${problem.detail}`);
  }
}

/** `{ data, error, response }` of any operation. */
interface Result {
  data?: unknown;
  error?: unknown;
  response: Response;
}
type DataOf<R extends Result> = R extends { data: infer T } ? T : never;

/** Returns the data of a response. @throws ApiError for an error response; the error of `fetch` without a response */
export async function unwrap<R extends Result>(call: R | Promise<R>): Promise<DataOf<R>> {
  const { data, error, response } = await call;
  if (error !== undefined) throw new ApiError(error as Problem, response);
  return data as DataOf<R>;
}

/** Gives every error response the form that its type promises. */
export async function withProblem(response: Response): Promise<Response> {
  if (response.status < 400) return response;
  const type = 'application/problem+json';
  if (response.headers.get('content-type')?.startsWith(type)) return response;
  const text = await response.text();
  const problem: Problem = {
    type: 'about:blank',
    title: response.statusText,
    status: response.status,
    code: 'unexpected_response',
    detail: text.slice(0, 1000),
    instance: new URL(response.url || 'none:/').pathname,
    requestId: response.headers.get('x-request-id') ?? '',
  };
  return new Response(JSON.stringify(problem), { status: response.status, headers: { 'content-type': type } });
}
