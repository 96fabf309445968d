<?php
// An old copy of tilld's client, as another plugin may bring it, loaded before ours: none of it may be used.

declare(strict_types=1);

namespace Tilld;

final class Tilld
{
    public function __construct()
    {
        throw new \LogicException('the copy of another plugin is used');
    }
}

class TilldException extends \RuntimeException
{
}
