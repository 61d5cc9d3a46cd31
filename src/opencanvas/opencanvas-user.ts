import type { ListedSession } from '../auth/sessions.service.js';
import { tagFrom } from '../platform/http/validation/tags.decorator.js';
import type { PostCard } from '../posts/card/post-card.js';
import { DEFAULT_NOTIFICATIONS, NOTIFICATIONS, type NotificationSettings } from '../users/notification-settings.js';
import type { ProfileChanges } from '../users/profile.service.js';
import type { OwnUserDto, ProfileDto } from '../users/user.dto.js';
import { isDefaultImage, type UpdateUser } from './people.dto.js';

const MAX_SIGN_INS = 5;
/** value that OpenCanvas stores for an account without interests */
const ANY = 'any';

/** Converts a profile to an account in a list. */
export function toListedUser({ id, username, fullName, profilePicture, headline }: ProfileDto) {
  return { _id: id, username, fullName, profilePicture: profilePicture ?? '', designation: headline };
}

/** Converts a profile, with cards of its featured posts. */
export function toOpenCanvasProfile(profile: ProfileDto, featured: readonly PostCard[]) {
  const { bio, interests, links, stats, createdAt } = profile;
  return {
    ...toListedUser(profile),
    aboutMe: bio,
    interestedIn: interests,
    contactInformation: links,
    featuredItems: featured.map((card) => ({
      ...{ itemId: card.id, itemType: 'Post', itemTitle: card.title, itemThumbnail: card.thumbnailUrl ?? '' },
    })),
    stats,
    createdAt,
  };
}

export type OwnFields = {
  email: string;
  featured: readonly PostCard[];
  collectionIds: string[];
  sessions: readonly ListedSession[];
  notifications: NotificationSettings | undefined;
};

/** Converts the account of the viewer. */
export function toOpenCanvasUser(user: OwnUserDto, own: OwnFields) {
  return {
    ...toOpenCanvasProfile(user, own.featured),
    email: own.email,
    role: user.role,
    collections: own.collectionIds,
    notifications: toNotifications(own.notifications),
    premiumUser: { isPremium: false, subscriptionType: 'none' },
    lastFiveLogin: lastSignIns(own.sessions),
    updatedAt: user.updatedAt,
  };
}

/** Renames the client's fields. Absent fields remain absent. */
export function toProfileChanges(body: UpdateUser): ProfileChanges {
  const { profilePicture: picture, interestedIn, notifications } = body;
  return {
    fullName: body.fullName,
    bio: body.aboutMe,
    headline: body.designation,
    links: body.contactInformation,
    profilePicture: picture !== undefined && isDefaultImage(picture) ? null : picture,
    interests: interestedIn === undefined ? undefined : interestsFrom(interestedIn),
    settings: notifications === undefined ? undefined : { notifications: notificationsFrom(notifications) },
  };
}

function interestsFrom(texts: readonly string[]): string[] {
  const tags = texts.filter((text) => text !== ANY).map(tagFrom);
  return [...new Set(tags.filter((tag) => tag !== null))];
}

function toNotifications(settings: NotificationSettings = DEFAULT_NOTIFICATIONS): Record<string, boolean> {
  return Object.fromEntries(NOTIFICATIONS.map((kind) => [`${kind}Notification`, settings[kind]]));
}

function notificationsFrom(given: Record<string, unknown>): Partial<NotificationSettings> {
  const isGiven = (kind: string): boolean => typeof given[`${kind}Notification`] === 'boolean';
  return Object.fromEntries(NOTIFICATIONS.filter(isGiven).map((kind) => [kind, given[`${kind}Notification`]]));
}

/** Returns the latest sign-ins, with the network instead of the IP address. */
function lastSignIns(sessions: readonly ListedSession[]) {
  const latest = [...sessions].sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
  return latest.slice(0, MAX_SIGN_INS).map(({ createdAt, userAgent, network }) => {
    return { loginTime: createdAt, deviceInfo: userAgent, ipAddress: network ?? '' };
  });
}
