import { CodedError } from '../../common/errors.js';
import { eachRow } from './each-row.js';

describe('eachRow', () => {
  const failure = new Error('a bad row');
  const outage = new CodedError('database_unavailable', 'away', { retryAfterSeconds: 1 });
  const runRows = async (errors: Record<number, Error>, signal = new AbortController().signal) => {
    const done: number[] = [];
    const ended = eachRow([1, 2, 3], signal, (row) => {
      done.push(row);
      return errors[row] === undefined ? Promise.resolve() : Promise.reject(errors[row]);
    });
    return {
      error: await ended.then(
        () => null,
        (error: unknown) => error,
      ),
      done,
    };
  };

  it('processes the other rows when one fails, and rethrows its error', async () => {
    expect(await runRows({})).toEqual({ error: null, done: [1, 2, 3] });
    expect(await runRows({ 1: failure })).toEqual({ error: failure, done: [1, 2, 3] });
  });

  it('stops at an outage, and when its signal is aborted', async () => {
    expect(await runRows({ 2: outage })).toEqual({ error: outage, done: [1, 2] });
    const reason = new Error('the process ends');
    expect(await runRows({}, AbortSignal.abort(reason))).toEqual({ error: reason, done: [] });
  });
});
