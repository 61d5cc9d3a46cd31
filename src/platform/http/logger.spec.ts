import { jest } from '@jest/globals';
import { AppConfig } from '../../config/app-config.js';
import { ENV_SCHEMA } from '../../config/env.schema.js';
import { createLogger } from './logger.js';

const ESCAPE = '\u001b[';

/** What the logger of a process writes for one warning. */
function warningOf(environment: Record<string, string>, isTTY: boolean) {
  const { stdout, stderr } = process;
  const { isTTY: before } = stdout;
  let text = '';
  const writes = [stdout, stderr].map((stream) =>
    jest.spyOn(stream, 'write').mockImplementation((chunk) => {
      text += String(chunk);
      return true;
    }),
  );
  try {
    stdout.isTTY = isTTY;
    const config = ENV_SCHEMA.parse({ AUTH_TOKEN_SECRET: 'x'.repeat(40), ...environment });
    createLogger(new AppConfig(config)).warn('slow');
  } finally {
    for (const write of writes) write.mockRestore();
    stdout.isTTY = before;
  }
  return text;
}

describe('the log', () => {
  it('is coloured on a terminal', () => {
    expect(warningOf({}, true)).toContain(ESCAPE);
  });

  it.each([
    ['in a file or a pipe', {}, false],
    ['with NO_COLOR', { NO_COLOR: '1' }, true],
    ['in production', { NODE_ENV: 'production', MONGODB_URI: 'mongodb://127.0.0.1' }, true],
  ] as const)('is plain %s', (_where, environment, isTTY) => {
    const text = warningOf(environment, isTTY);
    expect(text).toContain('slow');
    expect(text).not.toContain(ESCAPE);
  });
});
