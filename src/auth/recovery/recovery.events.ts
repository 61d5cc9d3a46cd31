import type { Binary } from 'mongodb';
import type { Topic } from '../../common/topic.js';

/** A password reset was requested for this encrypted address; a task looks up later whether an account has it. */
export const PASSWORD_RESET_REQUESTED: Topic<Binary> = { name: 'password-reset.asked' };
