import { hash } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { PageName, PageRequest, Renderer, SiteFacts } from '../../web/src/contract.js';
import { AppConfig } from '../config/app-config.js';
import { InternalReads } from '../platform/cache/internal-reads.js';
import { ErrorPages } from '../platform/http/problems/error-pages.js';
import type { Problem } from '../platform/http/problems/problem.js';
import { TextResponse } from '../platform/http/text-response.js';
import { PageMoved } from './page-moved.filter.js';
import { SITE_FOLDER } from './site-files.js';

const POLICY =
  "default-src 'none'; script-src 'self'; img-src 'self' blob: https: http:; font-src 'self'; connect-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; manifest-src 'self'; require-trusted-types-for 'script'";

type Instance = { name: string; needsSetup: boolean };

/**
 * Renders the pages of the site. A page reads the responses of the API, and has the cache tags of all of them. The renderer is loaded for
 * the first page.
 */
@Injectable()
export class SitePagesService implements OnModuleInit {
  /** with the last known name, for problems */
  private readonly facts: SiteFacts;
  private renderer: Promise<Renderer> | undefined;

  constructor(
    private readonly reads: InternalReads,
    private readonly errors: ErrorPages,
    { site, search }: AppConfig,
  ) {
    this.facts = {
      name: site.name ?? 'OpenCanvas',
      url: site.mailPages,
      hasPages: site.isOn,
      hasCommentSearch: search.isEnabled && search.hasComments,
      language: site.languages[0]!,
      stylesheet: site.stylesheet?.path,
    };
  }

  onModuleInit(): void {
    if (this.facts.hasPages) this.errors.useSite((problem) => this.problem(problem));
  }

  /** @throws PageMoved, and the CodedErrors of the API */
  async render(name: PageName, request: PageRequest): Promise<TextResponse> {
    const tags = new Set<string>();
    let readAt = Infinity;
    const get = async <Body>(path: string): Promise<Body> => {
      const { body, entry } = await this.reads.get(path);
      for (const tag of entry?.tags ?? []) tags.add(tag);
      readAt = Math.min(readAt, entry?.readAt ?? Infinity);
      return body as Body;
    };
    const instance = await get<Instance>('/v1/instance');
    if (instance.needsSetup && name === 'hot') throw new PageMoved('/welcome');
    this.facts.name = instance.name;
    const { renderPage } = await this.load();
    const page = await renderPage(name, request, get, { ...this.facts, name: instance.name });
    if ('movedTo' in page) throw new PageMoved(page.movedTo);
    return new TextResponse(page.html, headersWith(page.styleSources), [...tags, ...page.tags], readAt);
  }

  /** Returns the frame of a page that runs in the browser. */
  async frame(path: string): Promise<TextResponse> {
    // A frame needs no database.
    const { body } = await this.reads.get('/v1/instance').catch(() => ({ body: this.facts }));
    this.facts.name = (body as Instance).name;
    const { renderFrame } = await this.load();
    return new TextResponse(renderFrame(path, this.facts), headersWith([]));
  }

  private async problem(problem: Problem): Promise<TextResponse> {
    const { renderProblem } = await this.load();
    return new TextResponse(renderProblem(problem, this.facts), headersWith([]));
  }

  private load(): Promise<Renderer> {
    return (this.renderer ??= import(pathToFileURL(join(SITE_FOLDER, 'server.js')).href) as Promise<Renderer>);
  }
}

/** @param styles texts of style elements */
function headersWith(styles: string[]): Record<string, string> {
  const hashes = styles.map((style) => ` 'sha256-${hash('sha256', style, 'base64')}'`).join('');
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `${POLICY}; style-src 'self'${hashes}`,
  };
}
