<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

use Tilld\AuthenticationException;
use Tilld\InvalidRequestException;
use Tilld\PermissionException;
use Tilld\TilldException;

defined('ABSPATH') || exit;

/** Reads the events on a cursor, so that the orders are right though every webhook was lost. */
final class Reconcile
{
    /** When it last succeeded, when it last began, and since when and why it fails. */
    public const DONE = 'tilld_last_reconcile';
    public const RUN = 'tilld_last_run';
    public const FAILURE = 'tilld_failure';

    private const CURSOR = 'tilld_cursor';
    /** Orders that could not be brought up to date: tried again before the cursor goes on. */
    private const WAITING = 'tilld_waiting';
    private const SECONDS = 300;
    private const PAGE = 100;

    public static function addSchedule(array $schedules): array
    {
        $schedules[CRON] = ['interval' => self::SECONDS, 'display' => 'tilld'];
        return $schedules;
    }

    public static function schedule(): void
    {
        if (!wp_next_scheduled(CRON)) {
            wp_schedule_event(time() + self::SECONDS, CRON, CRON);
        }
    }

    public static function startOver(): void
    {
        update_option(self::CURSOR, 0, false);
        update_option(self::WAITING, [], false);
    }

    public static function run(): void
    {
        if (Connection::get() === null) {
            return;
        }
        update_option(self::RUN, time(), false);
        $problem = self::problemOf([Connection::class, 'follow'], 'webhooks cannot be sent to the present address of the shop');
        try {
            Lock::hold('reconcile', [self::class, 'catchUp'], 0.0);
            update_option(self::DONE, time(), false);
        } catch (Locked $error) {
            Log::info('another process is reading the events of tilld already');
            return;
        } catch (\Throwable $error) {
            Log::warning('the events of tilld could not be read to the end, the next run goes on', $error);
            $problem = $error;
        }
        if ($problem === null) {
            delete_option(self::FAILURE);
            return;
        }
        self::noteFailure($problem);
    }

    /** Why a step failed that the others must not wait for; null: it did not. */
    private static function problemOf(callable $step, string $what): ?\Throwable
    {
        try {
            $step();
            return null;
        } catch (\Throwable $error) {
            Log::warning($what, $error);
            return $error;
        }
    }

    private static function noteFailure(\Throwable $error): void
    {
        $before = get_option(self::FAILURE);
        $since = is_array($before) ? (int) $before['since'] : time();
        // Waiting does not help a key that was revoked or lacks a right, nor an address that tilld refuses.
        $isLasting = $error instanceof AuthenticationException || $error instanceof PermissionException || $error instanceof InvalidRequestException;
        update_option(self::FAILURE, ['since' => $since, 'isLasting' => $isLasting, 'reason' => $error->getMessage()], false);
    }

    /** @throws TilldException when tilld cannot be asked: the cursor stays */
    public static function catchUp(): void
    {
        $waiting = (array) get_option(self::WAITING, []);
        update_option(self::WAITING, self::syncAll($waiting), false);
        do {
            $after = (int) get_option(self::CURSOR, 0);
            $answer = self::eventsAfter($after);
            $payments = [];
            foreach ($answer['events'] as $event) {
                $orderId = self::orderOf($event);
                if ($orderId !== null) {
                    $payments[$event['paymentId']] = $orderId;
                }
            }
            $failed = self::syncAll($payments);
            // The failed ones are kept before the cursor moves: a crash between repeats work and loses none.
            update_option(self::WAITING, $failed + (array) get_option(self::WAITING, []), false);
            $next = max(array_merge([$after, (int) ($answer['nextAfter'] ?? 0)], array_column($answer['events'], 'seq')));
            update_option(self::CURSOR, $next, false);
        } while ($next > $after);
    }

    /**
     * @param array<string, int> $payments orders by payment
     * @return array<string, int> those that failed for a reason of the shop's own
     */
    private static function syncAll(array $payments): array
    {
        $failed = [];
        foreach ($payments as $paymentId => $orderId) {
            try {
                Orders::sync($orderId, (string) $paymentId);
            } catch (TilldException $error) {
                throw $error;
            } catch (\Throwable $error) {
                Log::error("order {$orderId} could not be brought up to date", $error);
                $failed[$paymentId] = $orderId;
            }
        }
        return $failed;
    }

    /** @param int $after set to 0 where that cursor is unknown to tilld */
    private static function eventsAfter(int &$after): array
    {
        try {
            return Connection::client()->events->list(['after' => $after, 'limit' => self::PAGE]);
        } catch (InvalidRequestException $error) {
            if ($after === 0) {
                throw $error;
            }
            // Another database than the one that gave the cursor: everything is read once more.
            Log::warning("the cursor {$after} is unknown to tilld, all events are read again", $error);
            $after = 0;
            return Connection::client()->events->list(['after' => 0, 'limit' => self::PAGE]);
        }
    }

    /** Old events come without their data. */
    private static function orderOf(array $event): ?int
    {
        if ($event['paymentId'] === null) {
            return null;
        }
        $payment = $event['data']['payment'] ?? null;
        if (!is_array($payment) || !array_key_exists('metadata', $payment)) {
            $payment = Connection::client()->payments->get(['paymentId' => $event['paymentId']]);
        }
        return Orders::idIn($payment);
    }
}
