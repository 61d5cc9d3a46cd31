import { PageOf } from '../../platform/http/page.js';
import { PostCardDto } from '../../posts/dto/post-card.dto.js';

export class FeedPage extends PageOf(PostCardDto) {}
