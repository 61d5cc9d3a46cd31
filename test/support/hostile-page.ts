import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';

const SECURITY = join(import.meta.dirname, '../security');

/** URL of a client's page. The page may request no other URL. */
export const CLIENT = 'https://reader.example/posts/1';

/** Ways to insert HTML into a page. Scripts run in the first and the last. */
export const WAYS = ['parsed with the page', 'inserted by a script', 'created element by element'] as const;
export type Way = (typeof WAYS)[number];

/** A client's page in Chromium, without a network. It records the effects of hostile HTML. */
export class HostilePage {
  /** Texts of dialogs. */
  dialogs: string[] = [];
  /** Blocked requests, like `image https://evil.example/a.png`. */
  requests: string[] = [];
  /** Uncaught errors and console messages, except messages about blocked requests. */
  messages: string[] = [];
  private content = '';

  private constructor(
    private readonly browser: Browser,
    readonly page: Page,
  ) {}

  static async launch(executablePath: string): Promise<HostilePage> {
    const args = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'];
    const browser = await chromium.launch({ executablePath, args });
    const page = await browser.newPage();
    const hostile = new HostilePage(browser, page);
    page.setDefaultTimeout(90_000);
    page.on('dialog', (dialog) => {
      hostile.dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    page.on('pageerror', (error) => hostile.messages.push(error.message));
    page.on('console', (message) => {
      if (!message.text().startsWith('Failed to load resource')) hostile.messages.push(message.text());
    });
    await page.route('**/*', (route, request) => {
      if (request.url() === CLIENT)
        return route.fulfill({ contentType: 'text/html; charset=utf-8', body: hostile.content });
      hostile.requests.push(`${request.resourceType()} ${request.url()}`);
      return route.abort();
    });
    return hostile;
  }

  async open(body: string): Promise<void> {
    this.content = `<!doctype html><title>A client</title><body>${body}`;
    [this.dialogs, this.requests, this.messages] = [[], [], []];
    await this.page.goto(CLIENT, { waitUntil: 'load', timeout: 60_000 });
    await this.page.addScriptTag({ path: join(SECURITY, 'page-checks.js') });
  }

  /** Shows a page with a section for each text. */
  async show(texts: string[], way: Way): Promise<void> {
    if (way === 'parsed with the page')
      return this.open(texts.map((html, index) => `<section data-vector="${index}">${html}</section>`).join('\n'));
    await this.open('');
    const insert = way === 'inserted by a script' ? 'insertAll' : 'createAll';
    await this.page.evaluate(`${insert}(${JSON.stringify(texts)})`);
  }

  /** Triggers everything that needs a person, and resolves when no request is under way. */
  async touch(): Promise<void> {
    await this.page.evaluate('touchAll()');
    await this.page.waitForLoadState('networkidle');
  }

  /** Returns the requests, except those of the images that the page shows. */
  async otherRequests(): Promise<string[]> {
    const images = await this.page
      .locator('img')
      .evaluateAll((all) => all.map((image) => (image as { src?: string }).src));
    return this.requests.filter((request) => !images.some((image) => request === `image ${image}`));
  }

  close(): Promise<void> {
    return this.browser.close();
  }
}
