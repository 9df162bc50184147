// Formula:   part(i) = key or value of item i
// Inputs:    items (four keys or two pairs a texel), row_of_target, of_item (numbers an item has, which of them)
// Domain and range: the elements of a folded array -> the same
// Edges:     what lies past the last element is padding
// Reference: house
uniform Stream items;
uniform float row_of_target;
uniform vec2 of_item;
DOMAIN at;
RANGE float part;

void main() {
    float index = floor(at.y) * row_of_target + floor(at.x);
    part = valueFours(items, index * of_item.x + of_item.y);
}
