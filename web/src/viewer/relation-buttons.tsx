import { useState } from 'preact/hooks';
import type { Schemas } from '../api.js';
import { api } from '../client.js';
import { useTexts } from '../components/context.js';
import { LikeButton, Toggle } from './buttons.js';
import { ReportButton } from './report-button.js';

type OwnUser = Schemas['ViewerUser'];
type OwnTag = Schemas['ViewerTag'];
type OwnCollection = Schemas['ViewerCollection'];

type UserProps = { username: string; own: OwnUser; hasAll: boolean };

/** Follows an account. On its profile: also the bell, block, mute and report. */
export function UserButtons({ username, own, hasAll }: UserProps) {
  const texts = useTexts().viewer;
  const [isFollowing, setFollowing] = useState(own.isFollowing);
  const user = { params: { path: { username } } };
  return (
    <span class="own">
      <Toggle
        labels={[texts.follow, texts.followed]}
        isOn={own.isFollowing}
        send={(isOn) =>
          isOn ? api.PUT('/v1/users/{username}/follow', user) : api.DELETE('/v1/users/{username}/follow', user)
        }
        changed={setFollowing}
      />
      {hasAll && (
        <>
          {isFollowing && (
            <Toggle
              labels={[texts.addBell, texts.hasBell]}
              isOn={own.hasBell}
              send={(isOn) =>
                isOn ? api.PUT('/v1/users/{username}/bell', user) : api.DELETE('/v1/users/{username}/bell', user)
              }
            />
          )}
          <Toggle
            labels={[texts.mute, texts.muted]}
            isOn={own.isMuted}
            send={(isOn) =>
              isOn
                ? api.PUT('/v1/users/{username}/mute', { ...user, body: {} })
                : api.DELETE('/v1/users/{username}/mute', user)
            }
          />
          <Toggle
            labels={[texts.block, texts.blocked]}
            isOn={own.isBlocked}
            send={(isOn) =>
              isOn ? api.PUT('/v1/users/{username}/block', user) : api.DELETE('/v1/users/{username}/block', user)
            }
          />
          <ReportButton kind="user" id={own.userId} />
        </>
      )}
    </span>
  );
}

export function TagButtons({ own: { tag, isFollowing } }: { own: OwnTag }) {
  const texts = useTexts().viewer;
  const path = { params: { path: { tag } } };
  return (
    <span class="own">
      <Toggle
        labels={[texts.follow, texts.followed]}
        isOn={isFollowing}
        send={(isOn) => (isOn ? api.PUT('/v1/tags/{tag}/follow', path) : api.DELETE('/v1/tags/{tag}/follow', path))}
      />
    </span>
  );
}

export function CollectionButtons({ likes, own }: { likes: number; own: OwnCollection }) {
  const texts = useTexts().viewer;
  const collection = { params: { path: { id: own.collectionId } } };
  return (
    <span class="own">
      <LikeButton
        likes={likes}
        vote={own.vote}
        send={(isOn) =>
          isOn
            ? api.PUT('/v1/collections/{id}/vote', { ...collection, body: { value: 'like' } })
            : api.DELETE('/v1/collections/{id}/vote', collection)
        }
      />
      <Toggle
        labels={[texts.follow, texts.followed]}
        isOn={own.isFollowing}
        send={(isOn) =>
          isOn
            ? api.PUT('/v1/collections/{id}/follow', collection)
            : api.DELETE('/v1/collections/{id}/follow', collection)
        }
      />
      <ReportButton kind="collection" id={own.collectionId} />
    </span>
  );
}
