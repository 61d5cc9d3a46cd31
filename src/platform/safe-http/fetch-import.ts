import { CodedError } from '../../common/errors.js';
import { OutgoingError } from './outgoing-error.js';
import type { OutgoingInit, SafeHttpClient } from './safe-http-client.js';

/** Reads what an account imports from a URL. @param field of the request that names it @throws CodedError `import_failed` */
export async function fetchImport(
  outgoing: SafeHttpClient,
  url: string,
  field: string,
  init?: OutgoingInit,
): Promise<Response> {
  const response = await outgoing.fetch(url, init).catch((error: unknown) => {
    throw error instanceof OutgoingError ? importFailed(field, error.message, error) : error;
  });
  if (response.status !== 200) throw importFailed(field, `The URL returned ${response.status}.`);
  return response;
}

export function importFailed(field: string, detail: string, cause?: unknown): CodedError {
  return new CodedError('import_failed', detail, { fields: [{ field, message: detail }], cause });
}
