import { Injectable } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { CollectionPostsService } from '../collections/collection-posts.service.js';
import { tagOf } from '../collections/collection-tags.js';
import { CollectionsService } from '../collections/collections.service.js';
import { FeedService } from '../feed/feed.service.js';
import { TextResponse } from '../platform/http/text-response.js';
import { SITE_TAG } from '../platform/site-settings/site-settings.schema.js';
import type { PostCard } from '../posts/card/post-card.js';
import { fromFeedForm } from '../rendering/feed-form.js';
import { PostHtmlService } from '../posts/html/post-html.service.js';
import { MAX_FEED_HTML } from '../rendering/rendered-html.js';
import { PostListsService } from '../posts/post-lists.service.js';
import { UsersService } from '../users/users.service.js';
import { atomFeed, jsonFeed, rssFeed } from './feed-formats.js';
import type { FeedDocument, FeedEntry } from './feed-document.js';
import type { FeedFormat, FeedName, FeedSort } from './feed-params.js';
import { sharedCard } from './shared-card.js';
import { SiteAddresses } from './site-addresses.js';

export const MAX_ENTRIES = 50;
const WRITERS: Record<FeedFormat, { type: string; write: (feed: FeedDocument) => string }> = {
  atom: { type: 'application/atom+xml', write: atomFeed },
  rss: { type: 'application/rss+xml', write: rssFeed },
  json: { type: 'application/feed+json', write: jsonFeed },
};
const TITLES: Record<FeedSort, string> = { latest: 'newest posts', hot: 'posts of these days', top: 'best posts' };

type About = Pick<FeedDocument, 'title' | 'description' | 'homeUrl'> & {
  /** key of the feed's subject, such as `users/<id>` */
  key: string;
  /** path without the format */
  path: string;
  /** earliest date of the feed; null: its posts have the only dates */
  since: Date | null;
  /** cache tags besides the tags of the posts; a new post may appear half a minute later */
  tags: string[];
};

/** Writes feeds: at most the newest 50 posts of a list, with their texts. */
@Injectable()
export class FeedsService {
  constructor(
    private readonly feed: FeedService,
    private readonly lists: PostListsService,
    private readonly users: UsersService,
    private readonly collections: CollectionsService,
    private readonly collectionPosts: CollectionPostsService,
    private readonly html: PostHtmlService,
    private readonly addresses: SiteAddresses,
  ) {}

  async ofAll(name: FeedName): Promise<TextResponse> {
    const [sort, format] = name.split('.') as [FeedSort, FeedFormat];
    const homeUrl = this.addresses.home;
    const about = { key: `feeds/${sort}`, path: `/v1/feeds/${sort}`, homeUrl, since: null, tags: [] };
    const title = `${await this.addresses.siteName()}: ${TITLES[sort]}`;
    return this.toResponse({ ...about, title, description: title }, await this.page({ sort }), format);
  }

  /** @throws CodedError `user_not_found` */
  async ofAuthor(name: string, format: FeedFormat): Promise<TextResponse> {
    const { _id, username, fullName, bio, createdAt } = await this.users.getProfile(name);
    const id = _id.toHexString();
    const { data } = await this.lists.listByAuthor(username, { limit: MAX_ENTRIES });
    const about = {
      key: `users/${id}`,
      path: `/v1/users/${username}/feed`,
      homeUrl: this.addresses.profile(username),
      title: `${fullName || username} (@${username})`,
      description: bio || `Posts on ${await this.addresses.siteName()}`,
      since: createdAt,
      tags: [`user:${id}`],
    };
    return this.toResponse(about, data, format);
  }

  async ofTag(tag: string, format: FeedFormat): Promise<TextResponse> {
    const name = encodeURIComponent(tag);
    const title = `#${tag} – ${await this.addresses.siteName()}`;
    const about = { key: `tags/${name}`, path: `/v1/tags/${name}/feed`, homeUrl: this.addresses.tag(tag) };
    const cards = await this.page({ sort: 'latest', tag });
    return this.toResponse({ ...about, title, description: title, since: null, tags: [] }, cards, format);
  }

  /** Returns the last posts of a collection, in its owner's order. @throws CodedError `collection_not_found` */
  async ofCollection(collectionId: ObjectId, format: FeedFormat): Promise<TextResponse> {
    const { id, slug, title, description, owner, updatedAt } = await this.collections.get(collectionId, null);
    const about = {
      key: `collections/${id}`,
      path: `/v1/collections/${id}/feed`,
      homeUrl: this.addresses.collection(slug),
      title,
      description: description || `A collection by ${owner.fullName || owner.username}`,
      since: new Date(updatedAt),
      tags: [tagOf(id)],
    };
    return this.toResponse(about, await this.collectionPosts.listLast(collectionId, MAX_ENTRIES), format);
  }

  private async page(selection: { sort: FeedSort; tag?: string }): Promise<PostCard[]> {
    const { json } = await this.feed.list({ window: 'all', limit: MAX_ENTRIES, ...selection });
    return (JSON.parse(json.toString()) as { data: PostCard[] }).data;
  }

  private async toResponse(about: About, cards: PostCard[], format: FeedFormat): Promise<TextResponse> {
    const ids = cards.map(({ id }) => ObjectId.createFromHexString(id));
    const forms = await this.html.getFeedForms(ids, MAX_FEED_HTML);
    const entries = cards.map((card) => this.entryOf(card, forms.get(card.id)));
    const { key, path, since, tags, ...head } = about;
    const dates = [...(since === null ? [] : [since]), ...entries.map((entry) => entry.updatedAt)];
    // Atom requires a date. Midnight keeps an empty feed equal, so that readers get a 304.
    const updatedAt = dates.length === 0 ? midnight() : new Date(Math.max(...dates.map(Number)));
    const selfUrl = `${this.addresses.api}${path}.${format}`;
    const { type, write } = WRITERS[format];
    const text = write({ ...head, id: this.addresses.tagUri(key), selfUrl, updatedAt, entries });
    const headers = { 'content-type': `${type}; charset=utf-8`, 'last-modified': updatedAt.toUTCString() };
    return new TextResponse(text, headers, [SITE_TAG, ...tags, ...cards.map(({ id }) => `post:${id}`)]);
  }

  private entryOf(card: PostCard, form: string | undefined): FeedEntry {
    const shared = sharedCard(card, this.addresses);
    return {
      ...shared,
      id: this.addresses.tagUri(`posts/${card.id}`),
      html: form === undefined ? undefined : fromFeedForm(form, this.addresses.home, shared.url),
      publishedAt: new Date(card.createdAt),
      updatedAt: new Date(card.updatedAt),
    };
  }
}

/** The beginning of this day, in UTC. */
function midnight(): Date {
  return new Date(new Date().setUTCHours(0, 0, 0, 0));
}
