// Writes images of README.md from a running server with demo data: `node scripts/screenshots.mjs http://localhost:3000`
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import sharp from 'sharp';
import { ROOT } from './lib/prepare.mjs';

const [base = 'http://localhost:3000', executablePath = '/usr/bin/chromium'] = process.argv.slice(2);
const IMAGES = [{ file: 'site.png', path: '/', width: 1_280, height: 860 }];

const browser = await chromium.launch({ executablePath, args: ['--headless', '--no-sandbox', '--hide-scrollbars'] });
for (const { file, path, width, height } of IMAGES) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: 'light' });
  await page.goto(base + path, { waitUntil: 'networkidle' });
  const bytes = await page.screenshot();
  await sharp(bytes)
    .png({ palette: true })
    .toFile(join(ROOT, 'docs/images', file));
  console.log(`docs/images/${file}`);
}
await browser.close();
