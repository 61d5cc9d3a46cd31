import { CodedError } from '../common/errors.js';
import { hasRole, type Viewer } from '../platform/access/viewer.js';

/** Returns the error for a write to content of another account. Moderators act on it with a route of its own, which checks their rank. */
export function notOwner(viewer: Pick<Viewer, 'role'>, detail: string): CodedError {
  const route = hasRole(viewer, 'moderator') ? ' Moderators act on it with POST /v1/moderation/actions.' : '';
  return new CodedError('forbidden', detail + route);
}
