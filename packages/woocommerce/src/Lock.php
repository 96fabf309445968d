<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

defined('ABSPATH') || exit;

/** One at a time by name, over all processes of the site: a row of the options, which every database can insert once. */
final class Lock
{
    /** Longer than any work under a lock: a process that was killed leaves its row behind. */
    private const STALE_SECONDS = 120;
    private const PAUSE_MICROSECONDS = 50000;

    /** @var array<string, true> Held by this process: its own hooks come back here while it saves an order. */
    private static $held = [];

    /**
     * Does the work once nobody else does it.
     *
     * @param float $waitSeconds 0: only when the lock is free
     * @return mixed what the work returns
     * @throws \RuntimeException when others took too long
     */
    public static function hold(string $name, callable $work, float $waitSeconds = 20.0)
    {
        if (isset(self::$held[$name])) {
            return $work();
        }
        $end = microtime(true) + $waitSeconds;
        while (!self::take($name)) {
            if (microtime(true) >= $end) {
                throw new \RuntimeException("another process still holds the lock {$name}");
            }
            usleep(self::PAUSE_MICROSECONDS);
        }
        self::$held[$name] = true;
        try {
            return $work();
        } finally {
            unset(self::$held[$name]);
            self::release($name);
        }
    }

    private static function take(string $name): bool
    {
        global $wpdb;
        $row = "tilld_lock_{$name}";
        $insert = "INSERT IGNORE INTO {$wpdb->options} (option_name, option_value, autoload) VALUES (%s, %s, 'no')";
        if ($wpdb->query($wpdb->prepare($insert, $row, (string) time())) === 1) {
            return true;
        }
        $stale = "UPDATE {$wpdb->options} SET option_value = %s WHERE option_name = %s AND option_value < %s";
        $before = (string) (time() - self::STALE_SECONDS);
        return $wpdb->query($wpdb->prepare($stale, (string) time(), $row, $before)) === 1;
    }

    private static function release(string $name): void
    {
        global $wpdb;
        $wpdb->query($wpdb->prepare("DELETE FROM {$wpdb->options} WHERE option_name = %s", "tilld_lock_{$name}"));
    }
}
