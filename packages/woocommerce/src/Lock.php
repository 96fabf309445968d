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

    /** @var array<string, string> What this process wrote into the rows it holds: its own hooks come back here while it saves an order. */
    private static $held = [];

    /**
     * Does the work once nobody else does it.
     *
     * @param float $waitSeconds 0: only when the lock is free
     * @return mixed what the work returns
     * @throws Locked when others took too long
     */
    public static function hold(string $name, callable $work, float $waitSeconds = 20.0)
    {
        if (isset(self::$held[$name])) {
            return $work();
        }
        $end = microtime(true) + $waitSeconds;
        while (($mark = self::take($name)) === null) {
            if (microtime(true) >= $end) {
                // phpcs:ignore WordPress.Security.EscapeOutput.ExceptionNotEscaped -- goes to the log
                throw new Locked("another process still holds the lock {$name}");
            }
            usleep(self::PAUSE_MICROSECONDS);
        }
        self::$held[$name] = $mark;
        try {
            return $work();
        } finally {
            unset(self::$held[$name]);
            self::release($name, $mark);
        }
    }

    /** @return ?string what the row holds now: the time, and who; null while another process has it */
    private static function take(string $name): ?string
    {
        global $wpdb;
        $row = "tilld_lock_{$name}";
        $mark = time() . '-' . bin2hex(random_bytes(8));
        // phpcs:disable WordPress.DB.DirectDatabaseQuery -- add_option and update_option do not say whether another process was faster
        $isInserted = $wpdb->query($wpdb->prepare("INSERT IGNORE INTO {$wpdb->options} (option_name, option_value, autoload) VALUES (%s, %s, 'no')", $row, $mark)) === 1;
        if ($isInserted) {
            return $mark;
        }
        $before = (string) (time() - self::STALE_SECONDS);
        $isTakenOver = $wpdb->query($wpdb->prepare("UPDATE {$wpdb->options} SET option_value = %s WHERE option_name = %s AND option_value < %s", $mark, $row, $before)) === 1;
        // phpcs:enable WordPress.DB.DirectDatabaseQuery
        return $isTakenOver ? $mark : null;
    }

    /** Not the lock of a process that took it over meanwhile. */
    private static function release(string $name, string $mark): void
    {
        global $wpdb;
        // phpcs:ignore WordPress.DB.DirectDatabaseQuery -- delete_option would also remove the row of another process
        $wpdb->query($wpdb->prepare("DELETE FROM {$wpdb->options} WHERE option_name = %s AND option_value = %s", "tilld_lock_{$name}", $mark));
    }
}

final class Locked extends \RuntimeException
{
}
