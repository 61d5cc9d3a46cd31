import { Injectable } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import { AppConfig } from '../config/app-config.js';
import type { Viewer } from '../platform/access/viewer.js';
import { HostWriter, type Submit } from '../platform/cluster/writer/host-writer.js';
import type { WriteRequest } from '../platform/idempotency/write-request.js';
import type { EventKind } from './event-keys.js';
import { type PostEventItem, type PostEventResult, PostEventWriterService } from './post-event-writer.service.js';

/** the referrer of pages of this site */
const INTERNAL = 'internal';

/**
 * Records views, reads and shares, each counted once per viewer, post and window. Concurrent events share one transaction that writes the
 * rows and the counters. A call resolves after its commit. PostEventDaysService sums up the rows of ended windows.
 */
@Injectable()
export class PostEventsService {
  private readonly submit: Submit<PostEventItem, PostEventResult>;
  private readonly ownHosts: string[];

  constructor(
    private readonly events: PostEventWriterService,
    writer: HostWriter,
    { site }: AppConfig,
  ) {
    this.ownHosts = [site.url, site.api].flatMap((url) => (url === undefined ? [] : [new URL(url).hostname]));
    this.submit = writer.group({
      name: 'post events',
      // A disconnected client does not matter, because an event counts once at any time.
      commit: (items) => this.events.commit(items),
    });
  }

  /** Accepts events on the viewer's own hidden post without counting them. @throws CodedError `post_not_found` */
  record(
    post: ObjectId,
    { kind, referrer: host }: { kind: EventKind; referrer?: string | undefined },
    { viewer, isDisconnected, idempotencyKey: key }: WriteRequest<Viewer | null>,
    address: string,
  ): Promise<PostEventResult> {
    const postId = post.toHexString();
    const id = this.events.idOf({ postId, kind, viewer, address, at: Date.now() });
    const referrer = host !== undefined && this.ownHosts.includes(host) ? INTERNAL : host;
    return this.submit({ id, postId, kind, viewer, key, referrer }, isDisconnected);
  }
}
