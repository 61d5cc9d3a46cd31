import { Param } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { CodedError } from '../common/errors.js';
import { POST_RESOURCE } from '../posts/post-view.js';

/** Returns the id at the end of a slug such as `notes-on-looms-6650…`. @throws CodedError `invalid_id` */
export function postIdIn(slug: string): ObjectId {
  const path = POST_RESOURCE.canonicalPath(slug);
  if (path === null) throw new CodedError('invalid_id', 'Invalid post URL');
  return ObjectId.createFromHexString(path.slice(-24));
}

/** The post id in the path parameter `:slug`. */
export const PostSlug = Param('slug', { transform: postIdIn });
