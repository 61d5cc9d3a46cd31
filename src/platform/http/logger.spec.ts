import { jest } from '@jest/globals';
import { AppConfig } from '../../config/app-config.js';
import { ENV_SCHEMA } from '../../config/env.schema.js';
import { createLogger } from './logger.js';

const ESCAPE = '\u001b[';

/** What the logger of a process writes for one warning. */
function warningOf(environment: Record<string, string>, { isTTY, noColor }: { isTTY?: true; noColor?: string }) {
  const { stdout, stderr } = process;
  const before = { isTTY: stdout.isTTY, noColor: process.env.NO_COLOR };
  let text = '';
  const writes = [stdout, stderr].map((stream) =>
    jest.spyOn(stream, 'write').mockImplementation((chunk) => {
      text += String(chunk);
      return true;
    }),
  );
  try {
    stdout.isTTY = isTTY as true;
    if (noColor === undefined) delete process.env.NO_COLOR;
    else process.env.NO_COLOR = noColor;
    const config = ENV_SCHEMA.parse({ AUTH_TOKEN_SECRET: 'x'.repeat(40), ...environment });
    createLogger(new AppConfig(config)).warn('slow');
  } finally {
    for (const write of writes) write.mockRestore();
    stdout.isTTY = before.isTTY;
    if (before.noColor === undefined) delete process.env.NO_COLOR;
    else process.env.NO_COLOR = before.noColor;
  }
  return text;
}

describe('the log', () => {
  it('is coloured on a terminal', () => {
    expect(warningOf({}, { isTTY: true })).toContain(ESCAPE);
  });

  it.each([
    ['in a file or a pipe', {}, {}],
    ['with NO_COLOR', {}, { isTTY: true, noColor: '1' }],
    ['in production', { NODE_ENV: 'production', MONGODB_URI: 'mongodb://127.0.0.1' }, { isTTY: true }],
  ] as const)('is plain %s', (_where, environment, terminal) => {
    const text = warningOf(environment, terminal);
    expect(text).toContain('slow');
    expect(text).not.toContain(ESCAPE);
  });
});
