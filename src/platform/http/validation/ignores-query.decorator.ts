import { SetMetadata } from '@nestjs/common';

export const IGNORES_QUERY = 'opencanvas:ignores-query';

/** For pages that other sites link to: links often add parameters (`utm_source`) that change nothing. */
export const IgnoresQuery = (): MethodDecorator & ClassDecorator => SetMetadata(IGNORES_QUERY, true);
