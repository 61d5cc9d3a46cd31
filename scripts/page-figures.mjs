// Prints what a reader on a slow phone waits for: `node scripts/page-figures.mjs http://localhost:3000`. The CPU is slowed to a quarter.
import { chromium } from 'playwright-core';
import { signInToDemo } from './lib/demo-sign-in.mjs';

const [base = 'http://localhost:3000', executablePath = '/usr/bin/chromium'] = process.argv.slice(2);
const RUNS = 5;
/** A task blocks what it takes longer than this, as Lighthouse counts. */
const SHORT_TASK_MS = 50;

const { data: posts } = await (await fetch(`${base}/v1/feed?sort=top&limit=1`)).json();
const paths = ['/', `/p/${posts[0].slug}`, `/u/${posts[0].author.username}`];
const browser = await chromium.launch({ executablePath, args: ['--headless', '--no-sandbox'] });
for (const isSignedIn of [false, true]) {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } });
  if (isSignedIn) await (await signInToDemo(context, base, 'demo_reader')).close();
  for (const path of paths) {
    const runs = [];
    for (let run = 0; run < RUNS; run++) runs.push(await measure(context, path));
    const median = (name) => runs.map((one) => one[name]).sort((a, b) => a - b)[Math.floor(RUNS / 2)];
    console.log(
      `${isSignedIn ? 'signed in' : 'visitor'} ${path}: largest paint ${Math.round(median('paint'))} ms, ` +
        `blocked ${Math.round(median('blocked'))} ms, layout shift ${median('shift').toFixed(3)}, ` +
        `scripts ${(median('scripts') / 1_000).toFixed(1)} kB, requests to the API ${median('requests')}`,
    );
  }
  await context.close();
}
await browser.close();

async function measure(context, path) {
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await page.addInitScript(() => {
    window.figures = { paint: 0, blocked: [], shift: 0 };
    const watch = (type, each) =>
      new PerformanceObserver((list) => list.getEntries().forEach(each)).observe({ type, buffered: true });
    watch('largest-contentful-paint', ({ startTime }) => (window.figures.paint = startTime));
    watch('longtask', ({ duration }) => window.figures.blocked.push(duration));
    watch('layout-shift', ({ value, hadRecentInput }) => (window.figures.shift += hadRecentInput ? 0 : value));
  });
  await page.goto(base + path);
  await page.waitForTimeout(3_000);
  const figures = await page.evaluate(() => {
    const loaded = performance.getEntriesByType('resource');
    return {
      ...window.figures,
      scripts: loaded.filter(({ name }) => name.endsWith('.js')).reduce((sum, one) => sum + one.encodedBodySize, 0),
      requests: loaded.filter(({ name }) => new URL(name).pathname.startsWith('/v1/') && !name.includes('/media/'))
        .length,
    };
  });
  await page.close();
  const blocked = figures.blocked.reduce((sum, ms) => sum + Math.max(0, ms - SHORT_TASK_MS), 0);
  return { ...figures, blocked };
}
