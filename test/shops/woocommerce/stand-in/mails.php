<?php

declare(strict_types=1);

defined('ABSPATH') || exit;

/** A mail to the customer. Plugins switch it off by a filter, and add to its text by actions of the template. */
class WC_Email
{
    public $id = '';
    public $object = false;
    protected $enabled = 'yes';
    protected $subject = '';

    public function is_enabled(): bool
    {
        return (bool) apply_filters("woocommerce_email_enabled_{$this->id}", $this->enabled === 'yes', $this->object, $this);
    }

    protected function dispatch(int $orderId, string $text = ''): void
    {
        $this->object = wc_get_order($orderId);
        $recipient = (string) $this->object->get_billing_email();
        if (!$this->is_enabled() || $recipient === '') {
            return;
        }
        ob_start();
        echo $text;
        do_action('woocommerce_email_before_order_table', $this->object, false, false, $this);
        do_action('woocommerce_email_order_details', $this->object, false, false, $this);
        do_action('woocommerce_email_after_order_table', $this->object, false, false, $this);
        wp_mail($recipient, str_replace('{order_number}', $this->object->get_order_number(), $this->subject), (string) ob_get_clean());
    }
}

/** Sent when the order comes into a status. */
final class WC_Email_Customer_Status extends WC_Email
{
    /** @param string[] $transitions */
    public function __construct(string $id, string $subject, array $transitions)
    {
        $this->id = $id;
        $this->subject = $subject;
        foreach ($transitions as $transition) {
            add_action("woocommerce_order_status_{$transition}_notification", function ($orderId): void {
                $this->dispatch((int) $orderId);
            });
        }
    }
}

final class WC_Email_Customer_Note extends WC_Email
{
    public $id = 'customer_note';
    protected $subject = 'Note added to your order #{order_number}';

    public function __construct()
    {
        add_action('woocommerce_new_customer_note_notification', function (array $args): void {
            $this->dispatch((int) $args['order_id'], $args['customer_note']);
        });
    }
}

final class WC_Email_Customer_Refunded_Order extends WC_Email
{
    public $refund = false;
    public $partial_refund = false;

    public function __construct()
    {
        add_action('woocommerce_order_fully_refunded_notification', [$this, 'trigger_full'], 10, 2);
        add_action('woocommerce_order_partially_refunded_notification', [$this, 'trigger_partial'], 10, 2);
    }

    public function trigger_full($orderId, $refundId = null): void
    {
        $this->trigger($orderId, false, $refundId);
    }

    public function trigger_partial($orderId, $refundId = null): void
    {
        $this->trigger($orderId, true, $refundId);
    }

    public function trigger($orderId, $isPartial = false, $refundId = null): void
    {
        $this->partial_refund = $isPartial;
        $this->id = $isPartial ? 'customer_partially_refunded_order' : 'customer_refunded_order';
        $this->subject = 'Your order #{order_number} has been ' . ($isPartial ? 'partially refunded' : 'refunded');
        $this->refund = $refundId ? wc_get_order($refundId) : false;
        $this->dispatch((int) $orderId);
    }
}

/** The mails exist only once one is to be sent; a shop may have them sent by a later process. */
final class WC_Emails
{
    private const ACTIONS = [
        'woocommerce_order_status_pending_to_processing', 'woocommerce_order_status_pending_to_on-hold', 'woocommerce_order_status_failed_to_processing',
        'woocommerce_order_status_failed_to_on-hold', 'woocommerce_order_status_cancelled_to_processing', 'woocommerce_order_status_cancelled_to_on-hold',
        'woocommerce_order_status_on-hold_to_processing', 'woocommerce_order_fully_refunded', 'woocommerce_order_partially_refunded', 'woocommerce_new_customer_note',
    ];

    private static $instance = null;
    private $emails;

    private function __construct()
    {
        $toHold = ['pending_to_on-hold', 'failed_to_on-hold', 'cancelled_to_on-hold'];
        $toProcessing = ['pending_to_processing', 'failed_to_processing', 'cancelled_to_processing', 'on-hold_to_processing'];
        $this->emails = apply_filters('woocommerce_email_classes', [
            'WC_Email_Customer_On_Hold_Order' => new WC_Email_Customer_Status('customer_on_hold_order', 'Your order #{order_number} has been received', $toHold),
            'WC_Email_Customer_Processing_Order' => new WC_Email_Customer_Status('customer_processing_order', 'Your order #{order_number} is being processed', $toProcessing),
            'WC_Email_Customer_Refunded_Order' => new WC_Email_Customer_Refunded_Order(),
            'WC_Email_Customer_Note' => new WC_Email_Customer_Note(),
        ]);
    }

    public static function instance(): self
    {
        self::$instance = self::$instance ?? new self();
        return self::$instance;
    }

    public static function init_transactional_emails(): void
    {
        $isDeferred = apply_filters('woocommerce_defer_transactional_emails', false);
        foreach (apply_filters('woocommerce_email_actions', self::ACTIONS) as $action) {
            add_action($action, [self::class, $isDeferred ? 'queue_transactional_email' : 'send_transactional_email'], 10, 10);
        }
    }

    public static function send_transactional_email(...$args): void
    {
        self::instance();
        do_action_ref_array(current_filter() . '_notification', $args);
    }

    public static function queue_transactional_email(...$args): void
    {
        add_option('shop_queued_mail_' . wp_generate_uuid4(), [current_filter(), $args], '', false);
    }

    /** What the later process does. */
    public static function send_queued_transactional_email(string $filter, array $args): void
    {
        self::instance();
        do_action_ref_array("{$filter}_notification", $args);
    }

    public function get_emails(): array
    {
        return $this->emails;
    }
}

add_action('init', ['WC_Emails', 'init_transactional_emails']);
