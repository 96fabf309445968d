<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

defined('ABSPATH') || exit;

/** The sites of an installation: a network has many, each with settings, orders and a connection of its own. */
final class Sites
{
    private const BATCH = 100;

    /** Does the work once in each site, in batches, because a network may have thousands. */
    public static function each(callable $work): void
    {
        if (!is_multisite()) {
            $work();
            return;
        }
        $offset = 0;
        do {
            $ids = get_sites(['fields' => 'ids', 'number' => self::BATCH, 'offset' => $offset, 'orderby' => 'id', 'network_id' => 0]);
            foreach ($ids as $id) {
                self::in((int) $id, $work);
            }
            $offset += self::BATCH;
        } while (count($ids) === self::BATCH);
    }

    /** Does the work in one site of a network. A failure there must not keep the others from theirs. */
    public static function in(int $siteId, callable $work): void
    {
        switch_to_blog($siteId);
        try {
            $work();
        } catch (\Throwable $error) {
            Log::error("site {$siteId} of the network", $error);
        } finally {
            restore_current_blog();
        }
    }
}
