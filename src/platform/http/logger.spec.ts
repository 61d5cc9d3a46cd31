import { hostname } from 'node:os';
import { jest } from '@jest/globals';
import type { LoggerService } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { ENV_SCHEMA } from '../../config/env.schema.js';
import { createCommandLogger, createLogger } from './logger.js';

const ESCAPE = '\u001b[';

/** Returns the log output of a process for one warning. */
function warningOf(
  environment: Record<string, string>,
  isTTY: boolean,
  create = (config: AppConfig): LoggerService => createLogger(config, 'web'),
) {
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
    create(new AppConfig(config)).warn('slow');
  } finally {
    for (const write of writes) write.mockRestore();
    stdout.isTTY = before;
  }
  return text;
}

describe('the log', () => {
  it('is colored on a terminal', () => {
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

  it.each([
    ['LOG_FORMAT=json', { LOG_FORMAT: 'json' }],
    ['NODE_ENV=production', { NODE_ENV: 'production', MONGODB_URI: 'mongodb://127.0.0.1' }],
  ])('is an object a line with %s', (_name, environment) => {
    expect(JSON.parse(warningOf(environment, true))).toEqual({
      time: expect.stringMatching(/^\d{4}-.+Z$/) as string,
      level: 'warn',
      role: 'web',
      host: hostname(),
      pid: process.pid,
      message: 'slow',
    });
  });

  it('is text in production with LOG_FORMAT=text', () => {
    const production = { NODE_ENV: 'production', MONGODB_URI: 'mongodb://127.0.0.1', LOG_FORMAT: 'text' };
    expect(warningOf(production, false)).toMatch(/WARN slow\n$/);
  });

  it('of a command has no slow queries', () => {
    const create = (config: AppConfig): LoggerService => {
      const logger = createCommandLogger(config, ['warn']);
      logger.warn('500 ms find posts', 'SlowQuery');
      return logger;
    };
    expect(warningOf({}, true, create)).not.toContain('find posts');
  });

  it('of a command is text without colors on standard error, when the output is piped', () => {
    const { isTTY } = process.stderr;
    process.stderr.isTTY = false;
    try {
      const text = warningOf({ LOG_FORMAT: 'json' }, true, (config) => createCommandLogger(config, ['warn']));
      expect(text).toMatch(/WARN slow\n$/);
      expect(text).not.toContain(ESCAPE);
    } finally {
      process.stderr.isTTY = isTTY;
    }
  });
});
