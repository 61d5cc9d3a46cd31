import { Injectable } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { ShortWay } from '../platform/cache/short-way.js';
import { DEFAULT_LIMIT } from '../platform/http/page.query.js';
import { CommentsController } from './comments.controller.js';
import { CommentsService } from './comments.service.js';

const PATH = /^\/v1\/posts\/([0-9a-f]{24})\/comments$/;

/** The comments of a post, newest first. */
@Injectable()
export class CommentsShortWay {
  constructor(shortWay: ShortWay, comments: CommentsService) {
    shortWay.add({
      controller: CommentsController,
      method: 'listComments',
      pattern: '/v1/posts/:id/comments',
      match: (path, { limit, cursor }) => {
        const id = PATH.exec(path)?.[1];
        if (id === undefined) return null;
        const query = { sort: 'newest', limit: Number(limit ?? DEFAULT_LIMIT), cursor } as const;
        const load = () => comments.list(ObjectId.createFromHexString(id), null, query);
        return { params: { id }, query: { limit, cursor }, load };
      },
    });
  }
}
