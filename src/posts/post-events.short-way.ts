import { Injectable } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { OBJECT_ID_PATTERN } from '../platform/http/parse-object-id.pipe.js';
import { ShortWrites } from '../platform/http/short-writes.js';
import { POST_EVENT_KINDS } from './post-event.schema.js';
import { PostEventsController } from './post-events.controller.js';
import { PostEventsService } from './post-events.service.js';

/** Views, reads and shares without an Idempotency-Key. */
@Injectable()
export class PostEventsShortWay {
  constructor(shortWrites: ShortWrites, events: PostEventsService) {
    shortWrites.add({
      controller: PostEventsController,
      handler: 'recordPostEvent',
      route: 'POST /v1/posts/:id/events',
      param: OBJECT_ID_PATTERN,
      body: { field: 'kind', values: POST_EVENT_KINDS },
      run: ({ param, value, viewer, request, isGone }) => {
        const address = request.socket.remoteAddress ?? '';
        return events.record(ObjectId.createFromHexString(param), value, viewer, address, { isGone });
      },
    });
  }
}
