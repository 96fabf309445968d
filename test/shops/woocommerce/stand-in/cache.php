<?php

declare(strict_types=1);

namespace Automattic\WooCommerce\Caches {
    defined('ABSPATH') || exit;

    /** Orders that were read, in the object cache of WordPress. */
    final class OrderCache
    {
        public function get(int $id)
        {
            return wp_cache_get($id, 'orders') ?: null;
        }

        public function set($order, int $id): bool
        {
            return wp_cache_set($id, $order, 'orders');
        }

        public function remove(int $id): bool
        {
            return wp_cache_delete($id, 'orders');
        }
    }
}

namespace {
    final class ShopContainer
    {
        public function get(string $class)
        {
            return new $class();
        }
    }

    function wc_get_container(): ShopContainer
    {
        return new ShopContainer();
    }

    final class WC_Cache_Helper
    {
        public static function get_cache_prefix(string $group): string
        {
            return "{$group}_";
        }

        public static function invalidate_cache_group(string $group): bool
        {
            return true;
        }
    }

    final class WC_Data_Store
    {
        public static function load(string $name): self
        {
            return new self();
        }
    }
}
