import { type Browser, chromium, type Page } from 'playwright-core';
import { TEST_PASSWORD } from './accounts.js';

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

/** Fills in and sends the form of a sign-in that a page shows. */
export async function submitSignIn(page: Page, login: string, password = TEST_PASSWORD): Promise<void> {
  await page.getByLabel('Username or e-mail address').fill(login);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}
