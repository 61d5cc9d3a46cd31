import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { jest } from '@jest/globals';
import { PrebuiltOverloadResponse } from './prebuilt-overload-response.js';
import type { ResponseHeaders } from '../response-headers.js';

describe('PrebuiltOverloadResponse', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('sends the first refusal of a connection at once and the next one 50 ms later', () => {
    const refusal = new PrebuiltOverloadResponse({
      common: {},
      allowedOrigin: () => undefined,
    } as unknown as ResponseHeaders);
    const sent: number[] = [];
    const response = { writeHead: (status: number) => sent.push(status), end: () => {} } as unknown as ServerResponse;
    const refuse = (socket: Socket) =>
      refusal.send({ method: 'GET', socket, headers: {} } as unknown as IncomingMessage, response);
    const [retrying, other] = [new Socket(), new Socket()];

    refuse(retrying);
    expect(sent).toEqual([503]);

    refuse(retrying);
    jest.advanceTimersByTime(49);
    expect(sent).toEqual([503]);
    jest.advanceTimersByTime(1);
    expect(sent).toEqual([503, 503]);

    refuse(other);
    expect(sent).toEqual([503, 503, 503]);
  });
});
