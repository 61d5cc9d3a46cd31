import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import { DraftPublisherService } from '../drafts/draft-publisher.service.js';
import { contentOf } from '../drafts/draft-view.js';
import type { ImportedDraft } from '../drafts/imported-drafts.service.js';
import { SiteAddresses } from '../syndication/site-addresses.js';
import { ArchiveEntries } from './archive-entries.js';
import { addressKey } from './imported-post.js';
import { MarkdownAddresses } from './markdown-addresses.js';
import { replaceAddresses } from './text-addresses.js';

type DraftText = Parameters<typeof contentOf>[0] & Pick<ImportedDraft, '_id' | 'authorId'>;

/** Replaces links to the old addresses of imported posts of the account. */
@Injectable()
export class ImportedLinks implements OnModuleInit {
  constructor(
    private readonly entries: ArchiveEntries,
    private readonly addresses: MarkdownAddresses,
    private readonly site: SiteAddresses,
    private readonly publisher: DraftPublisherService,
  ) {}

  onModuleInit(): void {
    this.publisher.rewriteImported((draft) => this.rewrite(draft));
  }

  /**
   * Returns the text of a draft with links to posts that are published.
   * @param importId posts of this import are about to be published
   * @throws CodedError `overloaded`
   */
  async rewrite(draft: DraftText, importId?: ObjectId): Promise<string> {
    const content = contentOf(draft);
    const links = (await this.addresses.find(content, draft.authorId.toHexString())).filter(
      ({ kind }) => kind === 'link',
    );
    if (links.length === 0) return content;
    const base = await this.entries.findAddress(draft._id);
    const page = base === null || base.startsWith('/') ? null : `http://${base}`;
    const keyOf = (url: string): string | null => (url.startsWith('#') ? null : addressKey(url, page));
    const keys = links.flatMap(({ url }) => keyOf(url) ?? []);
    const posts = await this.entries.findPosts(draft.authorId, keys, importId);
    return replaceAddresses(content, links, ({ url }) => {
      const id = posts.get(keyOf(url) ?? '');
      return id === undefined ? undefined : this.site.post(id);
    });
  }
}
