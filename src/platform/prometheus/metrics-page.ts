type Labels = Record<string, string>;

/** The metrics `opencanvas_…` of a page that prom-client has written. */
export class MetricsPage {
  private readonly lines = new Map<string, string[]>();

  /** @param omitted leaves out lines with this text */
  constructor(page: string, omitted: string) {
    for (const line of page.split('\n')) {
      const name = line.slice(0, line.search(/[{ ]/));
      if (!line.includes(omitted) && !this.lines.get(name)?.push(line)) this.lines.set(name, [line]);
    }
  }

  /** @param name without the prefix; a histogram has `_bucket`, `_sum` and `_count` */
  list(name: string, labels: Labels = {}): { labels: Labels; value: number }[] {
    const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
    const lines = (this.lines.get(`opencanvas_${name}`) ?? []).filter((line) =>
      wanted.every((one) => line.includes(one)),
    );
    return lines.map((line) => {
      // The values of these labels contain no quotes and no commas.
      const pairs = (line.split(/[{}]/, 2)[1] ?? '').split(',').map((label) => label.replaceAll('"', '').split('=', 2));
      return { labels: Object.fromEntries(pairs) as Labels, value: Number(line.slice(line.lastIndexOf(' '))) };
    });
  }

  sum(name: string, labels?: Labels): number {
    return this.list(name, labels).reduce((sum, { value }) => sum + value, 0);
  }
}
