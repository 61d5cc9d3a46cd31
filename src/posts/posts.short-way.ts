import { Injectable } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { ShortWay } from '../platform/cache/short-way.js';
import { PostsController } from './posts.controller.js';
import { PostsService } from './posts.service.js';

const PATH = /^\/v1\/posts\/((?:[a-z0-9-]{1,120}-)?([0-9a-f]{24}))$/;

/** A single post by its address. */
@Injectable()
export class PostsShortWay {
  constructor(shortWay: ShortWay, posts: PostsService) {
    shortWay.add({
      controller: PostsController,
      method: 'getPost',
      pattern: '/v1/posts/:idOrSlug',
      match: (path, { limit, cursor }) => {
        const found = limit === undefined && cursor === undefined ? PATH.exec(path) : null;
        if (found === null) return null;
        const id = ObjectId.createFromHexString(found[2]!);
        return { params: { idOrSlug: found[1]! }, query: {}, load: () => posts.get(id, null) };
      },
    });
  }
}
