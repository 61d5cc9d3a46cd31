import { applyDecorators } from '@nestjs/common';
import { ValidateBy } from 'class-validator';
import { IsText } from './text-rules.js';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/;
/** of `2027-01-31T09:00` */
const MINUTE_LENGTH = 16;

/** A time of RFC 3339 that the calendar has; its offset is part of it. */
export function IsTime(): PropertyDecorator {
  const message = 'must be a time like 2027-01-31T09:00:00Z';
  return applyDecorators(
    IsText({ min: 17, max: 29, pattern: TIME, message }),
    ValidateBy({
      name: 'isTime',
      constraints: [{ format: 'date-time' }],
      // what has another form is refused above
      validator: {
        validate: (value) => !isTimeForm(value) || isTime(value),
        defaultMessage: () => `$property ${message}`,
      },
    }),
  );
}

function isTimeForm(value: unknown): value is string {
  return typeof value === 'string' && TIME.test(value);
}

/** Date makes 2 March of 30 February, and the next day of 24:00. */
function isTime(text: string): boolean {
  const minute = text.slice(0, MINUTE_LENGTH);
  const local = new Date(`${minute}Z`);
  const isInCalendar = !Number.isNaN(local.getTime()) && local.toISOString().startsWith(minute);
  return isInCalendar && !Number.isNaN(Date.parse(text));
}
