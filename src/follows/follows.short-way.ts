import { Injectable } from '@nestjs/common';
import { ShortWrites } from '../platform/http/short-writes.js';
import { FollowsController } from './follows.controller.js';
import { FollowsService } from './follows.service.js';

/** Following and its end. */
@Injectable()
export class FollowsShortWay {
  constructor(shortWrites: ShortWrites, follows: FollowsService) {
    const common = { controller: FollowsController, param: /^\w+$/ };
    shortWrites.add({
      ...{ ...common, handler: 'followUser', route: 'PUT /v1/users/:username/follow' },
      run: ({ param, viewer, isGone }) => follows.follow(viewer!, param, true, isGone),
    });
    shortWrites.add({
      ...{ ...common, handler: 'unfollowUser', route: 'DELETE /v1/users/:username/follow' },
      run: ({ param, viewer, isGone }) => follows.follow(viewer!, param, false, isGone),
    });
  }
}
