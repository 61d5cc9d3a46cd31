import { Injectable } from '@nestjs/common';
import { AppConfig } from '../config/app-config.js';
import { SiteSettingsService } from '../platform/site-settings/site-settings.service.js';
import { POST_RESOURCE } from '../posts/post-view.js';

/** date in tag URIs, which must never change */
const TAG_DATE = '2026';

/**
 * URLs of posts, accounts, tags and collections, at PUBLIC_SITE_URL or at this server. The URLs depend on the configuration only, because
 * the Host header of a request may be forged and responses are shared.
 */
@Injectable()
export class SiteAddresses {
  readonly home: string;
  /** base URL of this server */
  readonly api: string;
  readonly hasSite: boolean;
  private readonly profiles: string;
  /** prefixes of post URLs */
  private readonly pages: URL[];

  constructor(
    { site }: AppConfig,
    private readonly settings: SiteSettingsService,
  ) {
    this.api = site.api;
    this.home = site.url ?? this.api;
    this.hasSite = site.url !== undefined;
    this.profiles = site.profiles;
    this.pages = [`${this.home}/p/`, `${this.api}/p/`, `${this.api}/v1/posts/`].map((page) => new URL(page));
  }

  /** A response with the name has SITE_TAG. */
  async siteName(): Promise<string> {
    return (await this.settings.get()).name;
  }

  post(slug: string): string {
    return `${this.home}/p/${slug}`;
  }

  profile(username: string): string {
    return this.profiles + username;
  }

  tag(tag: string): string {
    const name = encodeURIComponent(tag);
    return this.hasSite ? `${this.home}/tags/${name}` : `${this.api}/v1/feed?tag=${name}`;
  }

  collection(slug: string): string {
    return this.hasSite ? `${this.home}/collections/${slug}` : `${this.api}/v1/collections/${slug}`;
  }

  oembed(slug: string, format: string): string {
    return `${this.api}/v1/oembed?url=${encodeURIComponent(this.post(slug))}&format=${format}`;
  }

  /** Returns the id of a resource in feeds (RFC 4151), built from its id, so that a rename does not show the entry again. */
  tagUri(key: string): string {
    return `tag:${new URL(this.home).hostname},${TAG_DATE}:${key}`;
  }

  /** Returns the hex id of the post at a URL of the site or of this server. */
  findPostId(url: string): string | undefined {
    if (!URL.canParse(url)) return undefined;
    const asked = new URL(url);
    if (!['http:', 'https:'].includes(asked.protocol)) return undefined;
    const page = this.pages.find((page) => hostOf(page) === hostOf(asked) && asked.pathname.startsWith(page.pathname));
    if (page === undefined) return undefined;
    const slug = asked.pathname.slice(page.pathname.length).replace(/\/$/, '');
    return POST_RESOURCE.canonicalPath(slug)?.slice(-24);
  }
}

/** Returns the host for either scheme, without a trailing dot and a default port. */
function hostOf({ hostname, port }: URL): string {
  return `${hostname.replace(/\.$/, '')}:${port}`;
}
