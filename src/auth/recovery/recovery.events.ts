import type { Binary } from 'mongodb';
import type { Topic } from '../../platform/events/event-row.js';

/** A new password was asked for, with this address, sealed; whether there is such an account is looked up later. */
export const PASSWORD_RESET_ASKED: Topic<Binary> = { name: 'password-reset.asked' };
