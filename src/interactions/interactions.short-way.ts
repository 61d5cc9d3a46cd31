import { Injectable } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { OBJECT_ID_PATTERN } from '../platform/http/parse-object-id.pipe.js';
import { ShortWrites } from '../platform/http/short-writes.js';
import { VOTE_VALUES } from './interaction.schema.js';
import { InteractionsController } from './interactions.controller.js';
import { InteractionsService } from './interactions.service.js';

const id = (hex: string): ObjectId => ObjectId.createFromHexString(hex);

/** Votes and saves. */
@Injectable()
export class InteractionsShortWay {
  constructor(shortWrites: ShortWrites, interactions: InteractionsService) {
    const common = { controller: InteractionsController, param: OBJECT_ID_PATTERN };
    const body = { field: 'value', values: VOTE_VALUES };
    for (const [target, path] of [
      ['Post', 'posts'],
      ['Comment', 'comments'],
    ] as const) {
      const route = `/v1/${path}/:id/vote`;
      shortWrites.add({
        ...{ ...common, body, handler: `vote${target}`, route: `PUT ${route}` },
        run: ({ param, viewer, value, isGone }) => interactions.vote(viewer!, target, id(param), value, isGone),
      });
      shortWrites.add({
        ...{ ...common, handler: `unvote${target}`, route: `DELETE ${route}` },
        run: ({ param, viewer, isGone }) => interactions.vote(viewer!, target, id(param), null, isGone),
      });
    }
    shortWrites.add({
      ...{ ...common, handler: 'savePost', route: 'PUT /v1/posts/:id/save' },
      run: ({ param, viewer, isGone }) => interactions.save(viewer!, id(param), true, isGone),
    });
    shortWrites.add({
      ...{ ...common, handler: 'unsavePost', route: 'DELETE /v1/posts/:id/save' },
      run: ({ param, viewer, isGone }) => interactions.save(viewer!, id(param), false, isGone),
    });
  }
}
