import { CACHE_MANAGER, type Cache } from '@nestjs/cache-manager';
import { Inject, Injectable } from '@nestjs/common';
import { LISTS_TAG } from '../collections/collection-tags.js';
import { ListedCollectionsService } from '../collections/listed-collections.service.js';
import { CodedError } from '../common/errors.js';
import { readRows } from '../platform/mongo/readable-rows.js';
import { TextResponse } from '../platform/http/text-response.js';
import { type Month, type MonthCount, monthOf } from '../platform/mongo/months.js';
import { tagOfMonth } from '../posts/stored-posts.service.js';
import { PublicPostsByMonthService } from '../posts/public-posts-by-month.service.js';
import { AuthorsByMonthService } from '../users/authors-by-month.service.js';
import { element, XML_DECLARATION, xmlText } from './markup.js';
import { SiteAddresses } from './site-addresses.js';

/** half of the protocol's limit */
const URLS_PER_FILE = 25_000;

/** `posts-2026-05-1.xml` is the first file of that month. */
export const SITEMAP_FILE = /^(?:posts|people|collections)-20\d{2}-(?:0[1-9]|1[0-2])-[1-9]\d{0,2}\.xml$/;

/** Counts are cached, because counting reads all rows. */
const COUNTS = { ttl: 3_600_000, refreshThreshold: 600_000 };

const HEADERS = { 'content-type': 'application/xml; charset=utf-8' };

type Kind = {
  countByMonth: () => Promise<MonthCount[]>;
  /** elements, in batches */
  urls: (month: Month, skip: number, limit: number) => AsyncIterable<string>;
  tag: (month: Month) => string;
};

/**
 * Lists every public page once, in files by month, so that a file of a past month rarely changes. Without a site, only posts have pages.
 */
@Injectable()
export class SitemapService {
  private readonly kinds: Record<string, Kind>;

  constructor(
    private readonly posts: PublicPostsByMonthService,
    people: AuthorsByMonthService,
    collections: ListedCollectionsService,
    private readonly addresses: SiteAddresses,
    @Inject(CACHE_MANAGER) private readonly cache: Cache,
  ) {
    this.kinds = {
      posts: {
        countByMonth: () => posts.countByMonth(),
        urls: (...range) =>
          mapped(posts.inMonth(...range), ({ slug, changedAt, canonicalUrl }) => {
            const url = addresses.post(slug);
            // A sitemap lists canonical pages only; the canonical page of this post is elsewhere.
            return canonicalUrl === null || canonicalUrl === url ? urlOf(url, changedAt) : '';
          }),
        tag: tagOfMonth,
      },
      ...(addresses.hasSite ? this.kindsOfSite(people, collections) : {}),
    };
  }

  /** Lists the files. The response contains no personal data, so it may be stale. */
  async index(): Promise<TextResponse> {
    const files: string[] = [];
    for (const name of Object.keys(this.kinds))
      for (const { month, count } of await this.count(name))
        for (let file = 1; file <= Math.ceil(count / URLS_PER_FILE); file++) files.push(`${name}-${month}-${file}.xml`);
    if (this.addresses.hasSite) files.push('tags.xml');
    const urls = files.map((file) => `${this.addresses.api}/sitemaps/${file}`);
    const elements = urls.map((url) => element('sitemap', [element('loc', url)]));
    return toResponse('sitemapindex', [Buffer.from(elements.join(''))]);
  }

  /** Writes one file. Converts rows to bytes while they arrive, so that the file is in memory only once. @throws CodedError `not_found` */
  async file(name: string): Promise<TextResponse> {
    if (!SITEMAP_FILE.test(name)) throw notFound();
    const [kind, year, month, number] = name.slice(0, -'.xml'.length).split('-') as [string, string, string, string];
    const found = this.kinds[kind];
    if (found === undefined) throw notFound();
    const { urls, tag } = found;
    const of: Month = `${year}-${month}`;
    const parts: Buffer[] = [];
    const skip = (Number(number) - 1) * URLS_PER_FILE;
    // Nearly every valid name has no posts, which otherwise only a scan would show.
    if (skip >= (await this.mostIn(kind, of))) throw notFound();
    for await (const some of urls(of, skip, URLS_PER_FILE)) parts.push(Buffer.from(some));
    if (parts.length === 0) throw notFound();
    return toResponse('urlset', parts, [tag(of)]);
  }

  /** @throws CodedError `not_found` without a site */
  async tags(): Promise<TextResponse> {
    if (!this.addresses.hasSite) throw notFound();
    const tags = await this.posts.tags(URLS_PER_FILE);
    return toResponse('urlset', [Buffer.from(tags.map((tag) => urlOf(this.addresses.tag(tag))).join(''))]);
  }

  robots(): TextResponse {
    const text = `User-agent: *\nDisallow:\n\nSitemap: ${this.addresses.api}/sitemap.xml\n`;
    return new TextResponse(text, { 'content-type': 'text/plain; charset=utf-8' });
  }

  private kindsOfSite(people: AuthorsByMonthService, collections: ListedCollectionsService): Record<string, Kind> {
    return {
      people: {
        countByMonth: () => people.countByMonth(),
        urls: (...range) => mapped(people.inMonth(...range), (username) => urlOf(this.addresses.profile(username))),
        tag: () => 'top-writers',
      },
      collections: {
        countByMonth: () => collections.countByMonth(),
        urls: (...range) => mapped(collections.inMonth(...range), (slug) => urlOf(this.addresses.collection(slug))),
        tag: () => LISTS_TAG,
      },
    };
  }

  /** Returns the maximum number of URLs in a month, from counts up to an hour old. Adds a file for the current month, which still grows. */
  private async mostIn(kind: string, month: Month): Promise<number> {
    const counts = await this.cache.wrap(keyOf(kind), () => this.kinds[kind]!.countByMonth(), COUNTS);
    const count = counts.find((one) => one.month === month)?.count ?? 0;
    return month === monthOf(new Date()) ? count + URLS_PER_FILE : count;
  }

  private async count(kind: string): Promise<MonthCount[]> {
    return this.cache.set(keyOf(kind), await this.kinds[kind]!.countByMonth(), COUNTS.ttl);
  }
}

function keyOf(kind: string): string {
  return `sitemap:${kind}`;
}

function toResponse(root: 'urlset' | 'sitemapindex', parts: Buffer[], tags: string[] = []): TextResponse {
  const open = Buffer.from(`${XML_DECLARATION}<${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n`);
  return new TextResponse(Buffer.concat([open, ...parts, Buffer.from(`</${root}>\n`)]), HEADERS, tags);
}

/** Uses one template, because `element` would create some kilobytes of garbage for each URL. */
function urlOf(address: string, changedAt?: Date): string {
  const changed = changedAt === undefined ? '' : `<lastmod>${changedAt.toISOString()}</lastmod>`;
  return `<url><loc>${xmlText(address)}</loc>${changed}</url>\n`;
}

async function* mapped<Row>(batches: AsyncIterable<Row[]>, write: (row: Row) => string): AsyncGenerator<string> {
  for await (const rows of batches) yield readRows('sitemap', rows, String, write).join('');
}

function notFound(): CodedError {
  return new CodedError('not_found', 'File not found. /sitemap.xml lists the files.');
}
