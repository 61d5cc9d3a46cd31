import { problemBeside } from './contest.js';
import type { LoadPlan, Measurement } from './load-plan.js';
import { LoadWindow } from './load-window.js';

/** Returns the measurement of a background load that expects 200 and gets these responses. */
function measured(...statuses: number[]): Measurement {
  const plan = { mode: 'open', serverPid: null, mongodPid: null } as LoadPlan;
  const window = new LoadWindow('', plan);
  for (const status of statuses) window.answered(status, new Set([200]), 1, 10);
  return window.finish();
}

describe('a load beside the measured one', () => {
  it('may be refused', () => {
    expect(problemBeside(measured(200, 429, 503))).toBeNull();
  });

  it('is a problem when it got any other status, or no response', () => {
    expect(problemBeside(measured(200, 503, 401, 404, 404))).toBe(
      'the load beside it was answered {"200":1,"401":1,"404":2,"503":1}',
    );
    expect(problemBeside(measured())).toContain('nothing was answered');
  });
});
