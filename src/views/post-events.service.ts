import { Injectable } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import type { Viewer } from '../platform/auth/viewer.js';
import { HostWriter, type Submit } from '../platform/cluster/host-writer.js';
import type { WriteRequest } from '../platform/idempotency/write-request.js';
import type { EventKind } from './event-keys.js';
import { type PostEventItem, type PostEventResult, PostEventWriter } from './post-event-writer.service.js';

/**
 * Views, reads and shares, each counted once per viewer, post and window. Concurrent events share one transaction that writes the rows
 * and the post's counters; a call resolves after its commit. PostEventDays sums the rows up when their window has ended.
 */
@Injectable()
export class PostEventsService {
  private readonly submit: Submit<PostEventItem, PostEventResult>;

  constructor(
    private readonly events: PostEventWriter,
    writer: HostWriter,
  ) {
    this.submit = writer.group({
      name: 'post events',
      // an event is counted once at any time, so a disconnected client does not matter
      commit: (items) => this.events.commit(items),
    });
  }

  /** @throws CodedError `post_not_found`. Events on one's own hidden post are accepted and not counted. */
  record(
    post: ObjectId,
    kind: EventKind,
    { viewer, isDisconnected, idempotencyKey: key }: WriteRequest<Viewer | null>,
    address: string,
  ): Promise<PostEventResult> {
    const postId = post.toHexString();
    const id = this.events.idOf({ postId, kind, viewer, address, at: Date.now() });
    return this.submit({ id, postId, kind, viewer, key }, isDisconnected);
  }
}
