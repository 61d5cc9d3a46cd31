import type { ArgumentsHost } from '@nestjs/common';
import type { AppConfig } from '../../../config/app-config.js';
import type { ResponseWriter } from '../response-writer.js';
import { ErrorPages } from './error-pages.js';
import { ProblemFilter } from './problem.filter.js';

/** Returns the problem of an error, with the headers that the filter sets. */
function answerTo(error: Error): { body: unknown; headers: Record<string, string> } {
  const headers: Record<string, string> = {};
  const reply = {
    raw: { headersSent: false },
    header: (name: string, value: string) => {
      headers[name] = value;
      return reply;
    },
    removeHeader: () => reply,
    status: () => reply,
    type: () => reply,
  };
  const request = { id: 'req-1', method: 'POST', raw: { url: '/v1/media' } };
  let body: unknown;
  const writer = { write: (_: unknown, problem: unknown) => void (body = problem) } as unknown as ResponseWriter;
  const http = { getRequest: () => request, getResponse: () => reply };
  const config = { site: {}, auth: { returnOrigins: [] } } as unknown as AppConfig;
  new ProblemFilter(writer, new ErrorPages(config)).catch(error, {
    switchToHttp: () => http,
  } as unknown as ArgumentsHost);
  return { body, headers };
}

describe('the problem of a full disk', () => {
  it.each(['ENOSPC', 'EDQUOT'])('says when to send the upload again: %s', (code) => {
    const { body, headers } = answerTo(Object.assign(new Error('write'), { code }));
    expect(body).toMatchObject({ status: 503, code: 'overloaded' });
    expect(headers['Retry-After']).toBe('5');
  });
});
