import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Gives the body when it comes in one piece, as small ones do. Otherwise gives null with nothing taken away: whoever reads the request
 * next finds all of it.
 */
export function readSmallBody(
  request: IncomingMessage,
  response: ServerResponse,
  length: number,
  done: (bytes: Buffer | null) => void,
): void {
  // the client is gone before its body came: nobody to answer, but the request must not hold its place
  const leave = (): void => void response.end();
  request.once('close', leave);
  request.once('readable', () => {
    request.off('close', leave);
    const bytes = request.read() as Buffer | null;
    if (bytes === null || bytes.length === length) return done(bytes);
    request.unshift(bytes);
    done(null);
  });
}
