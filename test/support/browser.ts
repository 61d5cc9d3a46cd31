import { type Browser, chromium } from 'playwright-core';

/** Starts Chromium for the tests of a suite. */
export function useBrowser(executablePath: string): () => Browser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath,
      args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    });
  });
  afterAll(() => browser?.close());
  return () => browser!;
}
