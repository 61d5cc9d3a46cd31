import { SetMetadata } from '@nestjs/common';

export const IGNORES_QUERY = 'opencanvas:ignores-query';

/** For what links lead to from elsewhere: others add parameters to those (`utm_source`), which change nothing. */
export const IgnoresQuery = (): MethodDecorator & ClassDecorator => SetMetadata(IGNORES_QUERY, true);
