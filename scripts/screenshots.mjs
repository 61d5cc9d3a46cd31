// Writes images of README.md and docs/site.md from a running server with demo data: `node scripts/screenshots.mjs http://localhost:3000`
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import sharp from 'sharp';
import { signInToDemo } from './lib/demo-sign-in.mjs';
import { ROOT } from './lib/prepare.mjs';

const [base = 'http://localhost:3000', executablePath = '/usr/bin/chromium'] = process.argv.slice(2);
const WIDTHS = [360, 768, 1_280];
const FOLDER = join(ROOT, 'docs/images');

const { data: posts } = await (await fetch(`${base}/v1/feed?sort=top&type=article&limit=1`)).json();
const PAGES = {
  home: '/',
  post: `/p/${posts[0].slug}`,
  profile: `/u/${posts[0].author.username}`,
  editor: `/write`,
  moderation: '/moderation',
  operations: '/operations',
};

const browser = await chromium.launch({ executablePath, args: ['--headless', '--no-sandbox', '--hide-scrollbars'] });
const visitor = await browser.newContext({ colorScheme: 'light', viewport: { width: 1_280, height: 860 } });
await save(visitor, '/', 'site.png', (image) => image.png({ palette: true }));

const context = await browser.newContext({ colorScheme: 'light' });
const page = await signInToDemo(context, base, 'demo_admin');
mkdirSync(join(FOLDER, 'pages'), { recursive: true });
for (const [name, path] of Object.entries(PAGES)) {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    await save(context, path, `pages/${name}-${width}.webp`, (image) => image.webp({ quality: 60 }), page);
  }
}
await browser.close();

async function save(from, path, file, encode, existing) {
  const opened = existing ?? (await from.newPage());
  await opened.goto(base + path);
  // The stream of notifications stays open, so the network is never idle.
  await opened.locator('h1').waitFor();
  await opened.waitForTimeout(1_500);
  await encode(sharp(await opened.screenshot())).toFile(join(FOLDER, file));
  console.log(`docs/images/${file}`);
}
